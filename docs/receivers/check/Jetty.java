import java.util.EnumSet;
import javax.servlet.DispatcherType;
import org.eclipse.jetty.server.*;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.eclipse.jetty.servlet.*;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.DelegatingFilterProxy;
import org.springframework.web.filter.HiddenHttpMethodFilter;
import org.springframework.web.servlet.DispatcherServlet;

/** Runs ReceiveWithSpring.java under Jetty, in front of a filter that reads forms. */
class Jetty {
    public static void main(String[] arguments) throws Exception {
        AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
        context.register(ReceiveWithSpring.class);
        ServletContextHandler handler = new ServletContextHandler();
        EnumSet<DispatcherType> requests = EnumSet.of(DispatcherType.REQUEST);
        handler.addFilter(new FilterHolder(new DelegatingFilterProxy("receiveWithSpring", context)), "/*", requests);
        handler.addFilter(new FilterHolder(new HiddenHttpMethodFilter()), "/*", requests);
        ServletHolder dispatcher = new ServletHolder(new DispatcherServlet(context));
        dispatcher.setInitOrder(1);
        handler.addServlet(dispatcher, "/");
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        connector.setIdleTimeout(10_000);
        server.addConnector(connector);
        // Answers the deliveries on the way at SIGTERM, as `server.shutdown=graceful` of Spring Boot.
        StatisticsHandler counting = new StatisticsHandler();
        counting.setHandler(handler);
        server.setHandler(counting);
        server.setStopTimeout(10_000);
        server.setStopAtShutdown(true);
        server.start();
    }
}
