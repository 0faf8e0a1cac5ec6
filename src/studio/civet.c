// The part `studio`: HTTP by civetweb. It listens on the loopback address, serves no files of its own, and hands every
// request to one function.
#include "studio/http.h"

#include "part_stamp.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct Server
{
    struct mg_context* context;
    HttpHandler* handler;
    void* user;
    int port;
} Server;

static const char* get_header(void* connection, const char* name)
{
    return mg_get_header(connection, name);
}

static int read_body(void* connection, void* bytes, size_t size)
{
    return mg_read(connection, bytes, size);
}

static const char* reason(int status)
{
    switch (status)
    {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    default: return "Service Unavailable";
    }
}

static void reply(void* connection, int status, const char* headers, const void* body, size_t size)
{
    mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n", status,
              reason(status), size, headers);
    if (size > 0)
        mg_write(connection, body, size);
}

static int begin_request(struct mg_connection* connection)
{
    const struct mg_request_info* info = mg_get_request_info(connection);
    const Server* server = info->user_data;
    HttpRequest request = {
        .connection = connection,
        .method = info->request_method != NULL ? info->request_method : "",
        .path = info->request_uri != NULL ? info->request_uri : "",
        .length = info->content_length,
        .header = get_header,
        .read = read_body,
        .reply = reply,
    };
    server->handler(server->user, &request);
    return 200;  // handled, whatever the reply was
}

// Nothing is printed by a library.
static int log_message(const struct mg_connection* connection, const char* message)
{
    (void)connection, (void)message;
    return 1;
}

static void* start(int* port, int threads, HttpHandler* handler, void* user, const char** why)
{
    char address[40], count[20];
    Server* server = calloc(1, sizeof *server);
    *why = "out of memory";
    if (server == NULL)
        return NULL;
    snprintf(address, sizeof address, "127.0.0.1:%d", *port);
    snprintf(count, sizeof count, "%d", threads);
    const char* options[] = {"listening_ports",
                             address,
                             "num_threads",
                             count,
                             "request_timeout_ms",
                             "10000",
                             "tcp_nodelay",
                             "1",
                             "enable_directory_listing",
                             "no",
                             "connection_queue",
                             "256",
                             "listen_backlog",
                             "256",
                             NULL};
    struct mg_callbacks callbacks = {.begin_request = begin_request, .log_message = log_message};
    server->handler = handler;
    server->user = user;
    mg_init_library(0);
    server->context = mg_start(&callbacks, server, options);
    struct mg_server_port ports[2];
    *why = "the port is taken, or may not be used";
    if (server->context == NULL || mg_get_server_ports(server->context, 2, ports) < 1)
    {
        if (server->context != NULL)
            mg_stop(server->context);
        free(server);
        return NULL;
    }
    *port = server->port = ports[0].port;
    return server;
}

// civetweb looks every two seconds whether it should stop, or when somebody comes.
static void* knock(void* user)
{
    const Server* server = user;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    usleep(10000);
    int visitor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (visitor >= 0)
    {
        (void)!connect(visitor, (const struct sockaddr*)&address, sizeof address);
        close(visitor);
    }
    return NULL;
}

static void stop(void* handle)
{
    Server* server = handle;
    pthread_t visitor;
    bool knocks = pthread_create(&visitor, NULL, knock, server) == 0;
    mg_stop(server->context);
    if (knocks)
        pthread_join(visitor, NULL);
    mg_exit_library();
    free(server);
}

const PartHead* kairos_part(void)
{
    static const HttpPart table = {.head = {sizeof table, PART_STAMP}, .start = start, .stop = stop};
    return &table.head;
}
