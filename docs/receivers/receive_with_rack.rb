require "puma"
require "puma/configuration"
require "puma/launcher"
require_relative "webhook"

# Receives webhooks in front of everything that reads the body or rejects forms, such as
# Rack::MethodOverride and the protection of Rails against CSRF. In config.ru, above `run`:
#   use(ReceiveWebhook, "/hooks") { |body| … }
# In config/application.rb of Rails:
#   config.middleware.insert_before(0, ReceiveWebhook, "/hooks") { |body| … }
class ReceiveWebhook
  LIMIT = 1 << 20

  def initialize(app, path, &handler)
    @app, @path, @handler = app, path, handler
    @secret = read_secret
  end

  def call(env)
    return @app.call(env) unless env["PATH_INFO"] == @path && env["REQUEST_METHOD"] == "POST"

    # Without a body, `read` returns nil, or in Rack 3, there is no input.
    body = env["rack.input"]&.read(LIMIT + 1) || ""
    return reject(413, "the body is too large") if body.bytesize > LIMIT
    # Servers join repeated headers, which makes the signature invalid.
    unless authentic?(@secret, env["HTTP_X_SERVICE_SIGNATURE"], body)
      return reject(401, "the signature is missing or not valid")
    end

    begin
      @handler.call(body)
    rescue StandardError => error
      warn "webhook failed: #{error.message.inspect}"
      return [500, {}, []]
    end
    [204, {}, []]
  end

  private

  def reject(status, reason)
    warn "webhook rejected with #{status}: #{reason}"
    [status, {}, []]
  end
end

if $PROGRAM_NAME == __FILE__
  $stdout.sync = true # Puma sets it too, but only after it has accepted the first deliveries.
  other = ->(_env) { [404, {}, []] } # Your application.
  configuration = Puma::Configuration.new do |puma|
    puma.app(ReceiveWebhook.new(other, "/hooks") { |body| $stdout.write(body) }) # Put it into a queue.
    host, port = %w[LISTEN_HOST PORT].zip(%w[127.0.0.1 8080]).map { |name, default| ENV[name].to_s[/.+/] || default }
    puma.bind "tcp://#{host.include?(":") ? "[#{host}]" : host}:#{port}"
    puma.first_data_timeout 10 # Seconds without progress.
    # Older versions of Puma write bodies of any size to the disk before the application reads them.
    puma.http_content_length_limit ReceiveWebhook::LIMIT if puma.respond_to?(:http_content_length_limit)
  end
  Puma::Launcher.new(configuration).run
end
