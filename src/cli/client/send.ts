/*
 * `hooktape send`: sends one event from this machine, edited and re-signed. The order matters: problems with the options are
 * reported before any request, and the signature is made last, over the bytes that are sent.
 */
import { encodeBody } from '../../core/encoding/body-encoding.ts';
import { replayPreviewCharacters } from '../../core/limits.ts';
import { isSuccess } from '../../core/network/destination.ts';
import { applyEdit, type EditedRequest } from '../../core/replay/replay-edit.ts';
import { decodeUtf8Leniently, firstCharacters } from '../../core/text.ts';
import type { EventDetail } from '../../features/events/model.ts';
import type { OutboundResult } from '../../net/outbound.ts';
import { withScheme } from '../../shared/typed-url.ts';
import { type Arguments, exitCodes, type Io, OperationError, type Run } from '../io.ts';
import { wholeNumber } from '../parse-arguments.ts';
import { connect } from './api.ts';
import { capturedRequest, contentOf, createSender, type PreparedRequest } from './deliver.ts';
import { applyEdits, type Edits, hasEdits, readEdits, wholeBody } from './edit-options.ts';
import { editBody } from './editor.ts';
import { findEventId } from './find.ts';
import { printJson, safeLine, safeText } from './output.ts';
import { reportResponse } from './report-response.ts';
import { explainRefusal } from './signature-hint.ts';
import { hiddenTexts, prepareRequest, readSigning } from './signing.ts';
import { checkTarget } from './target.ts';

const timeoutMs = 30_000;
const maxTimes = 10_000;

export const runSend: Run = async (given, io) => {
  const times = wholeNumber(given, 'times', { least: 1, most: maxTimes }) ?? 1;
  const signing = readSigning(io, given);
  const url = withScheme(given.option('to') ?? '');
  const addresses = await checkTarget(url, { option: '--to', isRemoteAllowed: given.flag('allow-remote') });
  const edits = await readEdits(io, given);
  const api = connect(io, given);
  const path = `/api/events/${encodeURIComponent(await findEventId(api, given.argument(0)))}`;
  const event = await api.call<EventDetail>('GET', path);
  const captured = contentOf(event);
  const { request, isEdited } = await edit(io, given, captured, edits);
  const prepare = (): Promise<PreparedRequest> => prepareRequest({ io, event, request, isEdited, url, signing });

  if (given.flag('dry-run')) {
    printDryRun(io, given, await prepare());
    return exitCodes.done;
  }
  const send = createSender(io, addresses);
  const hidden = hiddenTexts(signing, edits.headers);
  const isSigned = signing !== undefined;
  let isFailed = false;
  for (let time = 0; time < times; time++) {
    const prepared = await prepare();
    const result = await send(prepared, timeoutMs);
    if (result.kind === 'refused') throw new OperationError(`not sent: ${result.reason}`);
    printResult(io, given, { result, url, isSigned, isEdited });
    if (!isFailed && !isSigned && result.kind === 'answered' && !isOk(result)) {
      const isBodyEdited = Buffer.compare(request.body, captured.body) !== 0;
      const about = { status: result.status, isBodyEdited, now: io.clock.now() };
      const hint = await explainRefusal({ ...event, ...request }, about);
      if (hint !== undefined) io.stderr(`hooktape: ${safeLine(hint)}\n`);
    }
    isFailed ||= !isOk(result);
    await reportResponse(io, api, event, { destination: url, result, hidden, isSigned, isEdited });
  }
  return isFailed ? exitCodes.failed : exitCodes.done;
};

async function edit(
  io: Io,
  given: Arguments,
  captured: EditedRequest,
  edits: Edits,
): Promise<{ request: EditedRequest; isEdited: boolean }> {
  const edited = applyEdits(capturedRequest(captured), edits);
  const body = given.flag('edit') ? await editBody(io, edited.body) : edited.body;
  const request = body === edited.body ? edited : applyEdit(edited, wholeBody(body));
  return { request, isEdited: hasEdits(edits) || request !== edited || given.flag('new-id') };
}

function printDryRun(io: Io, { json }: Arguments, { method, url, headers, body }: PreparedRequest): void {
  const encoded = encodeBody(body);
  if (json) {
    printJson(io, { dryRun: true, method, url, headers, ...encoded });
    return;
  }
  const lines = headers.map(([name, value]) => safeLine(`${name}: ${value}`));
  const text = encoded.bodyEncoding === 'utf8' ? safeText(encoded.body) : `(${body.length} bytes of binary data)`;
  io.stdout([safeLine(`${method} ${url}`), ...lines, '', text, ''].join('\n'));
}

const isOk = (result: OutboundResult): boolean => result.kind === 'answered' && isSuccess(result.status);

type Sent = {
  result: Exclude<OutboundResult, { kind: 'refused' }>;
  url: string;
  isSigned: boolean;
  isEdited: boolean;
};

/** Prints a response. In JSON, each response is a line with the fields of ReplayResult and ReplayAttempt. */
function printResult(io: Io, { json }: Arguments, { result, url, isSigned, isEdited }: Sent): void {
  const { durationMs } = result;
  const about = { destination: url, durationMs, signed: isSigned, edited: isEdited };
  if (result.kind === 'unreachable') {
    if (json) printJson(io, { ok: false, status: null, ...about, response: null, error: result.reason });
    else io.stderr(`hooktape: no response from ${safeLine(url)}: ${safeLine(result.reason)}\n`);
    return;
  }
  const { status, headers, preview, truncated } = result;
  if (json) {
    const responsePreview = firstCharacters(decodeUtf8Leniently(preview), replayPreviewCharacters);
    const response = { headers, ...encodeBody(preview), truncated };
    printJson(io, { ok: isOk(result), status, ...about, responsePreview, response });
    return;
  }
  const { body, bodyEncoding } = encodeBody(preview);
  const text = bodyEncoding === 'utf8' ? safeText(body) : `(${preview.length} bytes of binary data)`;
  io.stdout(`${status} in ${durationMs} ms\n${text === '' || text.endsWith('\n') ? text : `${text}\n`}`);
  if (truncated) io.stderr('The response is longer than the part printed.\n');
}
