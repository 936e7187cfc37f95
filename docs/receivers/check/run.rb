require_relative "../webhook"

# No signature raises an exception.
[nil, 1, ["sha256="], "\xff", "sha256=".encode("UTF-16LE")].each do |odd|
  raise odd.inspect unless authentic?("secret", odd, "") == false
end

$stdin.each_line(chomp: true) do |line|
  secret, signature, body = line.split(" ", -1).map { |field| field.unpack1("m0") }
  puts authentic?(secret, signature.empty? ? nil : signature.force_encoding("UTF-8"), body)
end
