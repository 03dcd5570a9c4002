/* A browser with a cookie jar, from the server's view: it adds the headers that a browser adds. */
import type { TestServer } from './test-server.ts';

export type Browser = {
  /** The session cookie, `name=value`; empty without a session. */
  cookie: string;
  /** A request from one of the server's own pages. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
  json: <T = Record<string, unknown>>(status: number, method: string, path: string, body?: unknown) => Promise<T>;
};

export function openBrowser(server: Pick<TestServer, 'fetch'>, own: Record<string, string> = {}): Browser {
  const browser: Browser = {
    cookie: '',
    call: async (method, path, body, headers = {}) => {
      const response = await server.fetch(path, {
        method,
        headers: {
          host: 'localhost:4665',
          'sec-fetch-site': 'same-origin',
          'user-agent': 'test browser',
          ...own,
          ...(browser.cookie && { cookie: browser.cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        browser.cookie = /max-age=0/i.test(line) ? '' : pair;
      }
      return response;
    },
    json: async (status, method, path, body) => {
      const response = await browser.call(method, path, body);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text);
    },
  };
  return browser;
}
