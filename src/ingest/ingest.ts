/*
 * Handles requests to ingest addresses: `/in/{token}` and everything below it (interface "Ingest"). A delivery is either complete,
 * from the fast path, or a request of node:http, which keeps the exact target, header names and order. The response is sent only
 * once the event is on disk. A paused endpoint refuses everything, including handshakes, so that no sender believes that a
 * delivery was stored.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointGuard, GuardRefusal } from '../core/answers/model.ts';
import type { Clock } from '../core/clock.ts';
import type { DeliveryResponse } from '../core/delivery-response.ts';
import { AppError } from '../core/errors.ts';
import { toFieldLines } from '../core/headers.ts';
import { ingestPrefix, splitTarget } from '../core/network/request-target.ts';
import { type Sender, senderOf } from '../http/client-address.ts';
import { readBody, sendContinue } from '../http/read-body.ts';
import { sendChosen } from './answers/http-response.ts';
import type { CaptureService, IngestAddress, StoredEvent } from './capture.ts';
import type { Delivery } from './delivery.ts';
import { budgetOfDelivery, type DeliveryBudgets, maxSmallBytes, smallHolders } from './delivery-budgets.ts';
import type { BufferedDelivery, FastPathOptions } from './fast-path/fast-path.ts';
import { chosenAnswer, refusal, stored } from './responses.ts';

export type Ingest = ReturnType<typeof createIngest>;

export type IngestOptions = {
  capture: Pick<CaptureService, 'record'>;
  /** The live endpoint with this token; from memory whenever possible. */
  findEndpoint: (token: string) => IngestAddress | undefined | Promise<IngestAddress | undefined>;
  /** Whether a token that `findEndpoint` does not know belongs to a paused endpoint. Called once for each refused delivery. */
  countIfPaused: (token: string) => boolean;
  clientAddress: (sender: Sender) => string;
  maxBodyBytes: number;
  budgets: DeliveryBudgets;
  clock: Clock;
  onResult: (result: 'stored' | 'unknown' | 'paused' | 'guarded' | 'too_large' | 'refused' | 'aborted') => void;
  onError: (error: unknown) => void;
};

/** The Retry-After of a paused endpoint. Most senders have their own schedule and only need to know that they should retry. */
const pausedRetrySeconds = 60;

export function createIngest(options: IngestOptions) {
  const { capture, findEndpoint, countIfPaused, clientAddress, maxBodyBytes, budgets, clock, onResult, onError } =
    options;

  const find = (token: string) => (token === '' ? undefined : findEndpoint(token));
  /** The response to a delivery that no endpoint accepts. Its body is not read. */
  const notTaken = (token: string): DeliveryResponse => {
    if (countIfPaused(token)) {
      onResult('paused');
      return refusal(503, 'this endpoint is paused, try again later', {
        retryAfterSeconds: pausedRetrySeconds,
      });
    }
    onResult('unknown');
    return refusal(404, 'unknown ingest URL');
  };
  const tooLarge = (why = `the body is larger than ${maxBodyBytes} bytes`): DeliveryResponse => {
    onResult('too_large');
    return refusal(413, why);
  };

  /** The response after an unexpected error: a retry may help. */
  const failed = (error: unknown): DeliveryResponse => {
    onResult('refused');
    onError(error);
    return refusal(503, 'the delivery could not be stored, try again', { retryAfterSeconds: 5 });
  };

  const responseTo = ({ id, answer, chosen }: StoredEvent): DeliveryResponse => {
    onResult('stored');
    return chosen ? chosenAnswer(chosen, id, clock.now()) : stored(id, answer);
  };

  /** The guard comes before rules and handshakes. */
  const recordGuarded = async (
    endpoint: IngestAddress,
    delivery: Delivery,
    guard: EndpointGuard,
  ): Promise<DeliveryResponse> => {
    const verdict = guard.check(delivery);
    const given = verdict?.stored ? { ...delivery, stored: verdict.stored } : delivery;
    if (!verdict?.refusal) return responseTo(await capture.record(endpoint, given));
    // Stored before it is answered, like any other delivery.
    if (guard.onRefuse === 'record') await capture.record(endpoint, given, verdict.refusal.status);
    return refused(verdict.refusal);
  };
  const refused = ({ status, error, headers }: GuardRefusal): DeliveryResponse => {
    onResult('guarded');
    return refusal(status, error, { headers });
  };

  /** Stores a complete delivery. Never rejects. */
  const record = async (
    { token, path, query }: Target,
    from: Omit<BufferedDelivery, 'target'>,
  ): Promise<DeliveryResponse> => {
    const { method, fields, body } = from;
    try {
      // Looked up again: the endpoint may have been deleted while the body was arriving.
      const found = find(token);
      const endpoint = found instanceof Promise ? await found : found;
      if (!endpoint) return notTaken(token);
      const sourceIp = clientAddress(from);
      const delivery = { method, path, query, fields, body, sourceIp, receivedAt: clock.now() };
      const guard = endpoint.policy?.guard;
      if (guard) return await recordGuarded(endpoint, delivery, guard);
      return responseTo(await capture.record(endpoint, delivery));
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_large') return tooLarge(error.message);
      if (!(error instanceof AppError)) return failed(error);
      onResult('refused');
      return refusal(503, error.message, { retryAfterSeconds: error.retryAfterSeconds ?? 5 });
    }
  };

  /** The refusal of a delivery that will not be stored, so that its body need not be read. */
  const refusalBeforeBody = ({ policy }: IngestAddress, req: IncomingMessage, query: string | null) => {
    if (policy?.guard?.onRefuse !== 'drop') return undefined;
    const fields = toFieldLines(req.rawHeaders);
    const sourceIp = clientAddress(senderOf(req));
    return policy.guard.check({ method: req.method ?? 'GET', sourceIp, fields, query })?.refusal;
  };

  const receive = async (
    req: IncomingMessage,
    res: ServerResponse,
    target: string,
  ): Promise<DeliveryResponse | 'aborted'> => {
    const parsed = readTarget(target);
    const sender = senderOf(req);
    let endpoint: IngestAddress | undefined;
    try {
      const found = find(parsed.token);
      endpoint = found instanceof Promise ? await found : found;
    } catch (error) {
      return failed(error);
    }
    if (!endpoint) return notTaken(parsed.token);
    const refusedAtOnce = refusalBeforeBody(endpoint, req, parsed.query);
    if (refusedAtOnce) return refused(refusedAtOnce);
    const read = await readBody(req, {
      maxBytes: maxBodyBytes,
      budget: budgetOfDelivery(budgets, { clientAddress: clientAddress(sender), endpoint: endpoint.seq }),
      beforeReading: () => sendContinue(req, res),
    });
    switch (read.kind) {
      case 'timed_out':
      case 'aborted':
        onResult('aborted');
        return 'aborted';
      case 'too_large':
        return tooLarge();
      case 'over_budget':
        onResult('refused');
        return refusal(503, 'too many unfinished deliveries, try again', { retryAfterSeconds: 1 });
    }
    try {
      const fields = toFieldLines(req.rawHeaders);
      return await record(parsed, { ...sender, method: req.method ?? 'GET', fields, body: read.body });
    } finally {
      read.release();
    }
  };

  return {
    /** Handles complete deliveries of the fast path. */
    fastPath: {
      deliver: delivery => record(readTarget(delivery.target), delivery),
      maxBodyBytes: Math.min(maxBodyBytes, maxSmallBytes),
      completeBudget: budgets.complete,
      unfinishedBudget: budgets.small,
      budgetHoldersOf: sender => smallHolders(clientAddress(sender)),
      isKnownTarget: target => {
        const found = find(readTarget(target).token);
        // If the token has to be looked up, `handleRequest` does that.
        if (!(found instanceof Promise)) return found !== undefined;
        found.catch(() => {});
        return false;
      },
      onAborted: () => onResult('aborted'),
    } satisfies FastPathOptions,
    /** Handles a request of node:http. */
    handleRequest: async (req: IncomingMessage, res: ServerResponse, target: string): Promise<void> => {
      const response = await receive(req, res, target);
      if (response === 'aborted') res.destroy();
      else if (response.chosen) sendChosen(req, res, response.status, response.chosen);
      else send(req, res, response);
    },
  };
}

type Target = { token: string; path: string; query: string | null };

function readTarget(target: string): Target {
  const { path, query } = splitTarget(target);
  const slash = path.indexOf('/', ingestPrefix.length);
  return slash < 0
    ? { token: path.slice(ingestPrefix.length), path: '', query }
    : { token: path.slice(ingestPrefix.length, slash), path: path.slice(slash), query };
}

function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: DeliveryResponse): void {
  const fields: Record<string, string> = { ...headers };
  // The rest of the body is discarded while the connection is closing.
  if (!req.complete) fields['connection'] = 'close';
  if (status !== 204) fields['content-length'] = String(Buffer.byteLength(body));
  res.writeHead(status, fields);
  res.end(req.method === 'HEAD' || status === 204 ? undefined : body);
}
