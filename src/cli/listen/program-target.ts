/* A program (--exec) as target: started for each event, without a shell, the body on stdin. Exit code 0 accepts it. */
import { AppError } from '../../core/errors.ts';
import { applyEdit } from '../../core/replay/replay-edit.ts';
import { answerBytes } from '../client/deliver.ts';
import { safeLine } from '../client/output.ts';
import type { Io } from '../io.ts';
import { startProblem } from '../system-errors.ts';
import type { CapturedEvent, TargetResponse } from './model.ts';
import { nothingSent, requestOf, type Target, withoutRequest } from './target.ts';

/** The time between SIGTERM and SIGKILL. */
const graceMs = 1000;

export const createProgramTarget = (
  io: Pick<Io, 'env' | 'clock'>,
  command: readonly string[],
  timeoutMs: number,
): Target => ({
  name: `exec:${command.join(' ')}`,
  url: null,
  async deliver(event, signal, { edit = {}, replay } = {}) {
    if ((edit.headers ?? []).length > 0)
      throw new AppError('invalid', "--exec programs get no headers, so headers can't be edited");
    const { body } = applyEdit(requestOf(event, replay !== undefined), edit);
    const limitMs = Math.min(timeoutMs, replay?.timeoutMs ?? timeoutMs);
    return { answer: await run(io, command, { event, body, timeoutMs: limitMs, signal }), ...withoutRequest };
  },
});

type Started = { event: CapturedEvent; body: Uint8Array; timeoutMs: number; signal: AbortSignal };

async function run(
  io: Pick<Io, 'env' | 'clock'>,
  command: readonly string[],
  { event, body, timeoutMs, signal }: Started,
): Promise<TargetResponse> {
  const startedAt = io.clock.monotonic();
  const ms = (): number => Math.round(io.clock.monotonic() - startedAt);
  let child: ReturnType<typeof start>;
  try {
    child = start(io, command, event, body);
  } catch (error) {
    return nothingSent(`${command[0]} cannot be started: ${startProblem(error)}`);
  }
  let isLate = false;
  const end = (): void => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const output = collect(child.stdout, child.stderr);
  const exitCode = await child.exited;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  const { bytes, isCut } = await output.finish();
  const isOk = exitCode === 0 && child.signalCode === null && !isLate;
  return {
    status: child.signalCode === null && !isLate ? exitCode : null,
    ms: ms(),
    headers: [],
    body: bytes,
    isCut,
    isOk,
    error: isOk ? null : isLate ? `did not exit within ${timeoutMs / 1000} s` : endOf(child.signalCode, exitCode),
  };
}

const start = (io: Pick<Io, 'env'>, command: readonly string[], event: CapturedEvent, body: Uint8Array) =>
  Bun.spawn([...command], {
    // As bytes and not as a pipe, because a program may end, or close its input, without reading all of it.
    stdio: [body, 'pipe', 'pipe'],
    env: { ...(io.env as Record<string, string>), ...variablesOf(event) },
  });

/** The values are escaped: the sender controls the type, and a variable with a NUL or a line break is a trap for scripts. */
const variablesOf = ({ id, type, platform, verdict }: CapturedEvent): Record<string, string> => ({
  HOOKTAPE_EVENT_ID: safeLine(id),
  HOOKTAPE_EVENT_TYPE: safeLine(type ?? ''),
  HOOKTAPE_EVENT_PLATFORM: safeLine(platform ?? ''),
  HOOKTAPE_EVENT_VERDICT: verdict ?? '',
});

/** Reads both outputs in the order of arrival. A grandchild may keep the pipes open, so reading ends with the program. */
function collect(...streams: ReadableStream<Uint8Array>[]) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const readers = streams.map(stream => stream.getReader());
  const reading = readers.map(async reader => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (size < answerBytes) chunks.push(next.value);
      size += next.value.length;
    }
  });
  return {
    async finish(): Promise<{ bytes: Uint8Array; isCut: boolean }> {
      const graceOver = new Promise<void>(resolve => setTimeout(resolve, graceMs).unref());
      await Promise.race([Promise.allSettled(reading), graceOver]);
      for (const reader of readers) reader.cancel().catch(() => {});
      return { bytes: Buffer.concat(chunks).subarray(0, answerBytes), isCut: size > answerBytes };
    },
  };
}

const endOf = (signal: string | number | null, exitCode: number): string =>
  signal === null ? `exited with ${exitCode}` : `was terminated by ${signal}`;
