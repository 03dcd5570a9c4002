/* GitHub's REST API for the deliveries of webhook 7 of o/r: pages, redeliveries, and the requests that a test intercepts. */
import { createHash } from 'node:crypto';

export type FakeDelivery = { id: string; guid: string; deliveredAt: number; redelivery: boolean };

export type FakeGithub = ReturnType<typeof openFakeGithub>;

export const githubToken = 'ghp_fake';
const firstId = 2n ** 62n;

/**
 * @param deliver what a redelivery of the GUID does, before GitHub responds
 * @param intercept a response instead of the usual one; `n` counts from 1
 */
export function openFakeGithub({
  deliver = () => {},
  intercept = () => undefined,
}: {
  deliver?: (guid: string, n: number) => unknown;
  intercept?: (request: Request, n: number) => Response | Promise<Response> | undefined;
} = {}) {
  /** Newest first. */
  const deliveries: FakeDelivery[] = [];
  const requests: { method: string; path: string; token: string | null; at: number }[] = [];
  const redelivered: string[] = [];

  const add = (guid: string, deliveredAt: number, redelivery = false): void => {
    const id = String(firstId + BigInt(deliveries.length));
    deliveries.unshift({ id, guid, deliveredAt, redelivery });
  };
  const page = (url: URL, perPage: number): Response => {
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const items = deliveries.slice(from, from + perPage).map(
      one =>
        // JSON.stringify cannot write such a number.
        `{"id":${one.id},"guid":"${one.guid}","delivered_at":"${new Date(one.deliveredAt).toISOString()}","redelivery":${one.redelivery},"status":"OK","status_code":200}`,
    );
    const next = `${url.origin}/repositories/1/hooks/7/deliveries?per_page=${perPage}&cursor=${from + perPage}`;
    const link =
      from + perPage < deliveries.length ? { link: `<${url.href}>; rel="first", <${next}>; rel="next"` } : {};
    return new Response(`[${items.join(',')}]`, { headers: { 'content-type': 'application/json', ...link } });
  };
  const redeliver = async (id: string): Promise<Response> => {
    const found = deliveries.find(one => one.id === id);
    if (!found) return Response.json({ message: 'Not Found' }, { status: 404 });
    redelivered.push(found.guid);
    add(found.guid, Date.now(), true);
    await deliver(found.guid, redelivered.filter(guid => guid === found.guid).length);
    return Response.json({}, { status: 202 });
  };

  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url);
      const path = url.pathname + url.search;
      requests.push({
        method: request.method,
        path,
        token: request.headers.get('authorization'),
        at: performance.now(),
      });
      const other = await intercept(request, requests.length);
      if (other) return other;
      const [, root, attempt] =
        /^\/(repos\/o\/r|repositories\/1|orgs\/o)\/hooks\/7\/deliveries(?:\/(\d+)\/attempts)?$/.exec(url.pathname) ??
        [];
      if (!root || request.headers.get('authorization') !== `Bearer ${githubToken}`)
        return Response.json({ message: 'Not Found' }, { status: 404 });
      if (attempt !== undefined && request.method === 'POST') return redeliver(attempt);
      return page(url, Number(url.searchParams.get('per_page') ?? 30));
    },
  });
  return {
    url: `http://127.0.0.1:${http.port}`,
    add,
    requests,
    /** GUIDs, one for each accepted request. */
    redelivered,
    close: () => http.stop(true),
  };
}

/** A GUID like GitHub's. */
export function guidOf(n: number): string {
  const hex = createHash('sha256').update(String(n)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-11f0-${hex.slice(12, 16)}-${hex.slice(16, 28)}`;
}
