/* What RFC 9112 demands of a request and node:http's parser does not check, and the path of a target. */
import type { IncomingMessage } from 'node:http';

const absoluteForm = /^https?:\/\/[^/?#]*/i;

/** A proxy may send the absolute form of a target (RFC 9112 section 3.2.2). @returns the target from its path on */
export function withoutOrigin(url: string): string {
  const target = url.replace(absoluteForm, '');
  return target.startsWith('/') ? target : `/${target}`;
}

/**
 * False for another version of HTTP (section 2.3), a missing or repeated `Host`, of which a proxy may have believed the other (3.2),
 * `Transfer-Encoding` in HTTP/1.0, whose proxies may have found another end of the body (6.1), and a target that is neither a path
 * nor an http URL (3.2).
 */
export function isValidRequest(req: IncomingMessage): boolean {
  const { httpVersion, headers, url = '' } = req;
  const hosts = countHosts(req);
  return (
    (httpVersion === '1.1'
      ? hosts === 1
      : httpVersion === '1.0' && hosts <= 1 && headers['transfer-encoding'] === undefined) &&
    (url.startsWith('/') || absoluteForm.test(url))
  );
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (/^host$/i.test(rawHeaders[i] as string)) hosts++;
  return hosts;
}
