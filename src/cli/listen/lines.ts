/*
 * A session as lines (--output lines) or as JSON lines (--output json). Deliveries go to stdout, everything else to stderr:
 * connections, explanations, and the number of events still to be delivered. If stdout accepts no more lines, the session ends,
 * and an event that only had to be printed is not settled.
 */
import { encodeBody } from '../../core/encoding/body-encoding.ts';
import { bodyText } from '../client/body-text.ts';
import { counted, jsonText, safeLine, sizeText, timeText } from '../client/output.ts';
import type { Io } from '../io.ts';
import { isProgram, type ListenEvent, type ListenSession, statusText, type TargetResponse } from './model.ts';
import { createStatusLine } from './status-line.ts';

type Of<K extends ListenEvent['kind']> = Extract<ListenEvent, { kind: K }>;

/** The most characters shown of a program's output, or of the body of an error response. */
const maxShownCharacters = 2000;

/** @returns a function that ends the output */
export function printSession(io: Io, session: ListenSession, format: 'lines' | 'json'): () => void {
  const status = createStatusLine(io, session);
  const hasTargets = session.targets.length > 0;
  let isOpen = true;
  const printOrStop = (line: string): void => {
    try {
      isOpen = io.stdout(line);
      if (isOpen) return;
      io.stderr('The program that read the output has ended, so hooktape listen ends, too.\n');
      void session.stop();
    } catch (error) {
      isOpen = false;
      void session.stop(error as Error);
    }
  };
  const unsubscribe = session.subscribe(said => {
    if (said.kind === 'behind') return status.show();
    status.clear();
    const line = format === 'json' ? jsonLine(said) : textLine(said, hasTargets);
    if (line !== undefined && isOpen) printOrStop(line);
    for (const one of explanations(said)) io.stderr(`${one}\n`);
    status.show();
  });
  return () => {
    unsubscribe();
    status.end();
  };
}

/** `{ event, id, type, target, status, ms, attempt }`; null for missing values. */
function jsonLine(said: ListenEvent): string | undefined {
  const fields = jsonFields(said);
  return fields && jsonText(fields);
}

function jsonFields(said: ListenEvent): object | undefined {
  if (said.kind === 'behind' || said.kind === 'notice') return undefined;
  const nothing = { id: null, type: null, target: null, status: null, ms: null, attempt: null };
  if (said.kind === 'connected' || said.kind === 'disconnected') return { event: said.kind, ...nothing };
  const { id, type } = said.event;
  if (said.kind === 'received') {
    const target = said.targets.length === 1 ? (said.targets[0] ?? null) : null;
    return { event: said.kind, ...nothing, id, type, target };
  }
  const answer = said.kind === 'skipped' ? null : said.answer;
  return {
    event: said.kind,
    id,
    type,
    target: said.target,
    status: answer?.status ?? null,
    ms: answer?.ms ?? null,
    attempt: said.attempt || null,
  };
}

/** One line for stdout; undefined if there is nothing to print. */
function textLine(said: ListenEvent, hasTargets: boolean): string | undefined {
  if (said.kind === 'received') {
    // With targets, the line of the response follows a moment later.
    if (hasTargets && said.targets.length > 0) return undefined;
    const { id, receivedAt, endpoint, platform, type, verdict, method, size, preview } = said.event;
    const what = [timeText(receivedAt), id, endpoint, platform ?? '', type ?? '', verdict ?? '', method ?? ''];
    return hasTargets
      ? joined([...clock(said.at), 'no target', type ?? '', id])
      : joined([...what, sizeText(size), preview]);
  }
  if (said.kind === 'answered' || said.kind === 'failed') {
    const { event, target, attempt, answer } = said;
    const how = [event.type ?? '', event.id, `-> ${target}`, attempt > 1 ? `(attempt ${attempt})` : ''];
    return joined([...clock(said.at), outcome(answer, target), ...how, said.cause === 'feed' ? '' : `[${said.cause}]`]);
  }
  if (said.kind !== 'skipped') return undefined;
  const { event, target, reason } = said;
  return joined([
    ...clock(said.at),
    'skipped',
    event.type ?? '',
    event.id,
    target === null ? '' : `-> ${target}`,
    reason,
  ]);
}

const clock = (at: number): string[] => [new Date(at).toISOString().slice(11, 19)];
const joined = (parts: readonly string[]): string => `${safeLine(parts.filter(part => part !== '').join('  '))}\n`;
const outcome = (answer: TargetResponse, target: string): string =>
  `${statusText(answer, target)} ${answer.status === null ? `(${answer.error})` : `in ${answer.ms} ms`}`;

/** Lines for stderr, escaped. */
function explanations(said: ListenEvent): string[] {
  if (said.kind === 'notice') return [safeLine(said.text)];
  if (said.kind === 'connected')
    return [safeLine(`Connected to ${said.server}, listening to ${said.endpoints.join(', ')}.`)];
  if (said.kind === 'disconnected') return [safeLine(`Disconnected: ${said.reason.replace(/\.$/, '')}. Reconnecting.`)];
  if (said.kind === 'answered') return programOutput(said);
  if (said.kind !== 'failed') return [];
  return [...answerText(said), ...(said.hint === null ? [] : [`  ${safeLine(said.hint)}`]), ...nextText(said)];
}

/** The output of a program. A successful HTTP target has none. */
const programOutput = (said: Of<'answered'>): string[] => (isProgram(said.target) ? answerText(said) : []);

function answerText({ answer }: Of<'answered' | 'failed'>): string[] {
  const { body, bodyEncoding } = encodeBody(answer.body);
  if (body === '') return [];
  const text =
    bodyText(body.slice(0, maxShownCharacters), bodyEncoding) ?? `(${sizeText(answer.body.length)} of binary data)`;
  return text
    .trimEnd()
    .split('\n')
    .map(line => `  ${line}`);
}

function nextText({ next, nextAt, event, at }: Of<'failed'>): string[] {
  const wait = waitText(Math.max(0, (nextAt ?? at) - at));
  if (next === 'retry') return [`  Retrying in ${wait}.`];
  if (next === 'hold') return [`  Holding ${safeLine(event.id)} and all later events; retrying in ${wait}.`];
  return [];
}

/** `0.4 seconds`: with tenths, so that no attempt seems to come too early. */
const waitText = (ms: number): string => counted(Math.max(0.1, Math.round(ms / 100) / 10), 'second');
