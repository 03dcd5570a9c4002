/* HTTP destinations on this host that record what they receive, for tests of everything that sends. */

export type ReceivedRequest = { method: string; path: string; body: string; headers: Headers };

export function createDestinations() {
  const servers: Bun.Server<undefined>[] = [];
  return {
    /** A destination with its own URL. @param handle `n` counts its requests from 1 */
    destination(handle: (request: ReceivedRequest, n: number) => Response | Promise<Response>) {
      const received: ReceivedRequest[] = [];
      const http = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: async request => {
          const { method } = request;
          const one = {
            method,
            path: new URL(request.url).pathname,
            body: await request.text(),
            headers: request.headers,
          };
          received.push(one);
          return handle(one, received.length);
        },
      });
      servers.push(http);
      return { url: `http://127.0.0.1:${http.port}/hook`, received };
    },
    /** Closes all destinations and aborts their connections. */
    closeDestinations: async (): Promise<void> => {
      await Promise.all(servers.map(http => http.stop(true)));
    },
  };
}
