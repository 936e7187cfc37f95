# Runs receive_with_rack.rb in front of classic Sinatra, whose Rack::MethodOverride reads forms, and with the input
# of Rack 3, which cannot be rewound and is missing without a body.

require "forwardable"
require "sinatra"
require_relative "receive_with_rack"

class Rack3
  class Input
    extend Forwardable
    def_delegators :@input, :gets, :each, :read, :close

    def initialize(input)
      @input = input
    end
  end

  def initialize(app)
    @app = app
  end

  def call(env)
    length = env["CONTENT_LENGTH"].to_i
    @app.call(env.merge("rack.input" => length.zero? ? nil : Input.new(env["rack.input"])))
  end
end

$stdout.sync = true
set :run, false
configuration = Puma::Configuration.new do |puma|
  puma.app(Rack::Builder.app do
    use Rack3
    use(ReceiveWebhook, "/hooks") { |body| $stdout.write(body) }
    run Sinatra::Application
  end)
  puma.bind "tcp://127.0.0.1:#{ENV.fetch('PORT')}"
  puma.first_data_timeout 10
end
Puma::Launcher.new(configuration).run
