import java.util.Arrays;
import java.util.Base64;
import java.util.Scanner;

class Run {
    public static void main(String[] arguments) throws Exception {
        for (Scanner lines = new Scanner(System.in); lines.hasNextLine(); ) {
            byte[][] fields =
                    Arrays.stream(lines.nextLine().split(" ", -1)).map(Base64.getDecoder()::decode).toArray(byte[][]::new);
            String signature = fields[1].length == 0 ? null : new String(fields[1]);
            System.out.println(Webhook.isAuthentic(fields[0], signature, fields[2]));
        }
    }
}
