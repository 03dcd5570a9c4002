/* A target that receives events over HTTP: a URL on this machine or its network. Its response is a value, never an error. */
import { isSuccess } from '../../core/network/destination.ts';
import type { ReplayEdit } from '../../core/replay/edit-schema.ts';
import { applyEdit, type EditedRequest, isEdit } from '../../core/replay/replay-edit.ts';
import { appendTarget } from '../../shared/replay-target.ts';
import { capturedRequest, createSender, type PreparedRequest } from '../client/deliver.ts';
import { type ReportedAttempt, toAttempt } from '../client/report-response.ts';
import { CannotSignError, hiddenTexts, prepareRequest, type Signing } from '../client/signing.ts';
import { checkTarget, type TargetRule } from '../client/target.ts';
import type { Io } from '../io.ts';
import { headerValue } from './captured.ts';
import type { CapturedEvent, TargetResponse } from './model.ts';

export type Delivery = {
  answer: TargetResponse;
  /** The report for the server; undefined if nothing was sent over HTTP. */
  attempt: ReportedAttempt | undefined;
  /** How long the target asks to wait (Retry-After). */
  retryAfterMs: number;
  /** A message for the user about the request, for example that it could not be signed. */
  notice: string | undefined;
};

export type Target = {
  name: string;
  /** null for a program. */
  url: string | null;
  /** @throws AppError for an edit that does not fit the event */
  deliver: (event: CapturedEvent, signal: AbortSignal, how?: How) => Promise<Delivery>;
};

export type How = {
  /** In addition to the headers from options. */
  edit?: ReplayEdit;
  /** Set if the event is a replay from the server, which has chosen its headers and may have signed it. */
  replay?: { isSigned: boolean; isEdited: boolean; timeoutMs: number };
};

export type TargetOptions = TargetRule & {
  signing: Signing | undefined;
  /** The values of --header; null removes a header. */
  headers: NonNullable<ReplayEdit['headers']>;
  keepsPath: boolean;
  timeoutMs: number;
};

export const nothingSent = (error: string): TargetResponse => ({
  status: null,
  ms: 0,
  headers: [],
  body: new Uint8Array(),
  isCut: false,
  isOk: false,
  error,
});

export const withoutRequest: Omit<Delivery, 'answer'> = { attempt: undefined, retryAfterMs: 0, notice: undefined };

/** @throws UsageError if the URL is invalid, or if events may not be sent there */
export async function createUrlTarget(io: Pick<Io, 'clock'>, url: string, options: TargetOptions): Promise<Target> {
  const { signing, headers, keepsPath, timeoutMs } = options;
  let send: ReturnType<typeof createSender> | undefined = createSender(io, await checkTarget(url, options));
  const hidden = hiddenTexts(signing, headers);

  /** The address of a name may change while this runs, as with containers: after a failure it is resolved and checked again. */
  const sender = async () => (send ??= createSender(io, await checkTarget(url, options)));

  const prepare = async (event: CapturedEvent, how: How) => {
    const edited = editOf(event, how, headers);
    const ownSigning = how.replay?.isSigned ? undefined : signing;
    const to = keepsPath ? appendTarget(url, { path: event.path, query: event.query ?? null }) : url;
    const wanted = { io, event, ...edited, url: to };
    try {
      return {
        request: withForwardedHost(await prepareRequest({ ...wanted, signing: ownSigning }), event),
        isSigned: ownSigning !== undefined || how.replay?.isSigned === true,
        isEdited: edited.isEdited,
        notice: undefined,
      };
    } catch (error) {
      if (!(error instanceof CannotSignError)) throw error;
      // The event is sent unsigned, because the target may not need a signature.
      const request = withForwardedHost(await prepareRequest({ ...wanted, signing: undefined }), event);
      return {
        request,
        isSigned: false,
        isEdited: edited.isEdited,
        notice: `${event.id} is sent as captured: ${error.message}`,
      };
    }
  };

  return {
    name: url,
    url,
    async deliver(event, signal, how = {}) {
      const { request, isSigned, isEdited, notice } = await prepare(event, how);
      const exchange = await sender().catch((error: Error) => error);
      if (exchange instanceof Error) return { ...withoutRequest, answer: nothingSent(exchange.message), notice };
      const limitMs = Math.min(timeoutMs, how.replay?.timeoutMs ?? timeoutMs);
      const result = await exchange(request, limitMs, signal);
      if (result.kind === 'refused')
        return { ...withoutRequest, answer: nothingSent(`not sent: ${result.reason}`), notice };
      const attempt = toAttempt(event.id, { destination: request.url, result, hidden, isSigned, isEdited });
      if (result.kind === 'unreachable') {
        send = undefined;
        return { answer: { ...nothingSent(result.reason), ms: result.durationMs }, attempt, retryAfterMs: 0, notice };
      }
      const { status, durationMs: ms, preview: body, truncated: isCut } = result;
      const isOk = isSuccess(status);
      const error = isOk ? null : `returned ${status}`;
      const answer = { status, ms, headers: result.headers, body, isCut, isOk, error };
      return { answer, attempt, retryAfterMs: retryAfterOf(result.headers), notice };
    },
  };
}

function editOf(
  event: CapturedEvent,
  { edit = {}, replay }: How,
  headers: TargetOptions['headers'],
): { request: EditedRequest; isEdited: boolean } {
  const edited = applyEdit(requestOf(event, replay !== undefined), edit);
  const isEdited = isEdit(edit) || headers.length > 0 || replay?.isEdited === true;
  return { request: applyEdit(edited, { headers }), isEdited };
}

/** The request for a captured event. The headers of a replay stay, except for its marks, which sending adds again. */
export const requestOf = ({ headers, body }: CapturedEvent, isReplay: boolean): EditedRequest =>
  isReplay
    ? { headers: headers.filter(([name]) => !/^x-(service-replay|hooktape-edited)$/i.test(name)), body }
    : capturedRequest({ headers: [...headers], body });

/** Adds the original host, for handlers that check it or serve several hosts. */
function withForwardedHost(request: PreparedRequest, event: CapturedEvent): PreparedRequest {
  const host = headerValue(event.headers, 'host');
  if (host === undefined || headerValue(request.headers, 'x-forwarded-host') !== undefined) return request;
  return { ...request, headers: [...request.headers, ['x-forwarded-host', host]] };
}

/** Reads only seconds, because a date would require clocks that agree. */
const retryAfterOf = (headers: TargetResponse['headers']): number => {
  const seconds = Number(headerValue(headers, 'retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
};
