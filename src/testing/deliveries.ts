/* Raw deliveries for tests, in one line each. */
import type { RawDelivery } from '../platforms/engine/model.ts';

type Parts = {
  method?: string;
  query?: string | null;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
};

export function delivery({ method = 'POST', query = null, headers = {}, body = '' }: Parts = {}): RawDelivery {
  return {
    method,
    path: '',
    query,
    rawHeaders: Object.entries(headers),
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  };
}

export const jsonDelivery = (value: unknown, headers: Readonly<Record<string, string>> = {}): RawDelivery =>
  delivery({ headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) });

export const formDelivery = (
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): RawDelivery =>
  delivery({
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
