/* The bytes of responses of the fast path. They look like those of node:http: the same fields in the same order. */
import { STATUS_CODES } from 'node:http';
import type { ChosenAnswer, DeliveryResponse } from '../../core/delivery-response.ts';
import { announcedBytes } from '../answers/timing.ts';

export type ResponseFormatter = ReturnType<typeof createResponseFormatter>;

export function createResponseFormatter(keepAliveSeconds: number) {
  let second = 0;
  let date = '';
  const dateNow = (): string => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      date = new Date(now * 1000).toUTCString();
    }
    return date;
  };
  const keepAliveFields = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
  const closeFields = 'Connection: close\r\n\r\n';
  const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  const end = (isLast: boolean): string => `Date: ${dateNow()}\r\n${isLast ? closeFields : keepAliveFields}`;

  return {
    usual({ status, headers, body }: DeliveryResponse, isLast: boolean): string | Buffer {
      let text = statusLine(status);
      for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
      const size = Buffer.byteLength(body);
      if (status !== 204) text += `content-length: ${size}\r\n`;
      text += end(isLast);
      return size === body.length ? text + body : Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(body)]);
    },

    /** The head of an answer that a rule chose. */
    head(status: number, chosen: ChosenAnswer, isLast: boolean): Buffer {
      const fields = chosen.fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const announced = announcedBytes({ status, chosen });
      const length = announced === undefined ? '' : `Content-Length: ${announced}\r\n`;
      return Buffer.from(`${statusLine(status)}${fields}${length}${end(isLast)}`, 'latin1');
    },
  };
}
