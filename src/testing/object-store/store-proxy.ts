/* A proxy in front of a real object store, for its faults and its counts. Signatures cover the host, so it passes that on. */
import { request as httpRequest } from 'node:http';
import { openFaultyServer, type PlainResponse } from './faulty-server.ts';

/** @param target port of a store on this machine */
export const openStoreProxy = (target: number) =>
  openFaultyServer(
    ({ method, target: path, rawHeaders, body }) =>
      new Promise<PlainResponse>((resolve, reject) => {
        const outgoing = httpRequest(
          { host: '127.0.0.1', port: target, method, path, headers: rawHeaders },
          response => {
            const chunks: Buffer[] = [];
            response.on('data', chunk => chunks.push(chunk));
            response.on('error', reject);
            response.on('end', () => {
              const { 'transfer-encoding': _chunked, ...headers } = response.headers as Record<string, string>;
              resolve({ status: response.statusCode ?? 502, headers, body: Buffer.concat(chunks) });
            });
          },
        );
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
  );
