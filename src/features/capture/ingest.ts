/*
 * The ingest address on the wire: `/in/{token}` and everything below it (interface "Ingest"). Reads straight from node's
 * request, because that keeps the exact target, header names and order. The answer is sent only once the event is on disk.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { ingestPrefix, splitTarget } from '../../core/query.ts';
import { type BodyBudget, readBody } from './body.ts';
import type { Address, CaptureService, Recorded } from './service.ts';

/** How much of an unwanted upload is still read, so that the sender sees the answer instead of a reset. */
const lingerBytes = 4 << 20;
const lingerMs = 2000;

export type Ingest = (req: IncomingMessage, res: ServerResponse, target: string) => Promise<void>;

export type IngestOptions = {
  capture: Pick<CaptureService, 'record'>;
  /** The live endpoint with this token; from memory whenever possible. */
  findEndpoint: (token: string) => Address | undefined | Promise<Address | undefined>;
  clientAddress: (req: IncomingMessage) => string;
  maxBodyBytes: number;
  budget: BodyBudget;
  clock: Clock;
  onResult: (result: 'stored' | 'unknown' | 'too_large' | 'refused' | 'aborted') => void;
  onError: (error: unknown) => void;
};

export function createIngest(options: IngestOptions): Ingest {
  const { capture, findEndpoint, clientAddress, maxBodyBytes, budget, clock, onResult, onError } = options;

  const take = async (req: IncomingMessage, res: ServerResponse, target: string): Promise<void> => {
    const { path, query } = splitTarget(target);
    const slash = path.indexOf('/', ingestPrefix.length);
    const token = path.slice(ingestPrefix.length, slash < 0 ? undefined : slash);
    const subPath = slash < 0 ? '' : path.slice(slash);

    const found = token === '' ? undefined : findEndpoint(token);
    const endpoint = found instanceof Promise ? await found : found;
    if (!endpoint) {
      onResult('unknown');
      return refuse(req, res, 404, 'no such address');
    }

    const read = await readBody(req, maxBodyBytes, budget, () => {
      if (req.headers.expect !== undefined) res.writeContinue();
    });
    switch (read.kind) {
      case 'aborted':
        onResult('aborted');
        res.destroy();
        return;
      case 'too_large':
        onResult('too_large');
        return refuse(req, res, 413, `the body is larger than ${maxBodyBytes} bytes`);
      case 'no_room':
        onResult('refused');
        return refuse(req, res, 503, 'too many large deliveries at once, try again', 1);
    }
    try {
      // Deleted while the body was arriving: the address is gone, and nothing may be stored under it.
      const still = findEndpoint(token);
      if (!(still instanceof Promise ? await still : still)) {
        onResult('unknown');
        return refuse(req, res, 404, 'no such address');
      }
      const recorded = await capture.record(endpoint, {
        method: req.method ?? 'GET',
        path: subPath,
        query,
        headers: req.rawHeaders,
        body: read.body,
        sourceIp: clientAddress(req),
        receivedAt: clock.now(),
      });
      onResult('stored');
      accept(req, res, recorded.id, recorded.answer);
    } finally {
      read.release();
    }
  };

  return async (req, res, target) => {
    try {
      await take(req, res, target);
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_large') {
        onResult('too_large');
        return refuse(req, res, 413, error.message);
      }
      onResult('refused');
      if (error instanceof AppError) return refuse(req, res, 503, error.message, error.retryAfterSeconds ?? 5);
      onError(error);
      if (res.headersSent) return void res.destroy();
      refuse(req, res, 503, 'the delivery could not be stored, try again', 5);
    }
  };
}

function accept(req: IncomingMessage, res: ServerResponse, id: string, answer: Recorded['answer']): void {
  if (answer) {
    send(req, res, answer.status, answer.headers, answer.body);
    return;
  }
  const body = `{"ok":true,"id":"${id}"}`;
  // ASCII: as many bytes as letters. By itself, because this is what nearly every delivery gets.
  res.writeHead(200, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'content-length': body.length,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function refuse(req: IncomingMessage, res: ServerResponse, status: number, error: string, retryAfter?: number): void {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (!req.complete) {
    headers['connection'] = 'close';
    linger(req, res);
  }
  send(req, res, status, headers, JSON.stringify({ error }));
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string,
): void {
  res.writeHead(status, {
    ...headers,
    'x-content-type-options': 'nosniff',
    ...(status !== 204 && { 'content-length': String(Buffer.byteLength(body)) }),
  });
  res.end(req.method === 'HEAD' || status === 204 ? undefined : body);
}

/** Reads on for a moment and throws it away; a socket closed with unread data would take the answer with it. */
function linger(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  let left = lingerBytes;
  const stop = (): void => {
    clearTimeout(timer);
    socket.destroy();
  };
  const timer = setTimeout(stop, lingerMs);
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) stop();
  });
  req.once('close', () => clearTimeout(timer));
  req.on('error', () => {});
  res.on('error', () => {});
  req.resume();
}
