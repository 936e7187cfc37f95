require_relative "../webhook"

$stdin.each_line(chomp: true) do |line|
  secret, signature, body = line.split(" ", -1).map { |field| field.unpack1("m0") }
  puts authentic?(secret, signature.empty? ? nil : signature.force_encoding("UTF-8"), body)
end
