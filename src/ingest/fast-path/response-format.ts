/* The bytes of responses of the fast path. They look like responses of node:http: the same fields in the same order. */
import { STATUS_CODES } from 'node:http';
import type { ChosenAnswer, DeliveryResponse } from '../../core/delivery-response.ts';
import { announcedBytes } from '../answers/timing.ts';

export function createResponseFormatter(keepAliveSeconds: number) {
  let second = 0;
  /** The last lines of a head, for this second. */
  let ends = { keepAlive: '', close: '' };
  const end = (isLast: boolean): string => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      const date = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
      ends = {
        keepAlive: `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`,
        close: `${date}Connection: close\r\n\r\n`,
      };
    }
    return isLast ? ends.close : ends.keepAlive;
  };
  const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;

  /** The first lines of the last response: nearly all responses share them, down to the object of their headers. */
  let known = { status: 0, headers: {} as DeliveryResponse['headers'], text: '' };
  const beginning = ({ status, headers }: DeliveryResponse): string => {
    if (status === known.status && headers === known.headers) return known.text;
    let text = statusLine(status);
    for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
    known = { status, headers, text };
    return text;
  };

  return {
    usual(response: DeliveryResponse, isLast: boolean): string | Buffer {
      const { status, body } = response;
      const size = Buffer.byteLength(body);
      const length = status === 204 ? '' : `content-length: ${size}\r\n`;
      const head = `${beginning(response)}${length}${end(isLast)}`;
      return size === body.length ? head + body : Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
    },

    head(status: number, chosen: ChosenAnswer, isLast: boolean): Buffer {
      const fields = chosen.fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const announced = announcedBytes({ status, chosen });
      const length = announced === undefined ? '' : `Content-Length: ${announced}\r\n`;
      return Buffer.from(`${statusLine(status)}${fields}${length}${end(isLast)}`, 'latin1');
    },
  };
}
