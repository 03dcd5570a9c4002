/* How far a session is behind, on stderr: one line that is rewritten, or a new one after a change, once a second. */
import type { Io } from '../io.ts';
import type { ListenSession } from './model.ts';

const clearLine = '\r\x1b[K';
const everyMs = 1000;

export function createStatusLine(
  io: Pick<Io, 'isTerminal' | 'isForeground' | 'stderr' | 'clock' | 'sleep'>,
  session: Pick<ListenSession, 'behind' | 'isConnected' | 'isPaused'>,
) {
  let shown: string | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  let isWaiting = false;
  let isEnded = false;

  const isRewritten = (): boolean => io.isTerminal && io.isForeground();
  const text = (): string => {
    const states = [session.isConnected() ? '' : 'disconnected', session.isPaused() ? 'paused' : ''];
    return [`${session.behind()} behind`, ...states].filter(part => part !== '').join(', ');
  };
  const print = (): void => {
    const now = text();
    if (now === shown) return;
    shown = now;
    shownAt = io.clock.monotonic();
    io.stderr(`${now}\n`);
  };
  const printSoon = async (ms: number): Promise<void> => {
    if (isWaiting) return;
    isWaiting = true;
    await io.sleep(ms);
    isWaiting = false;
    if (!isEnded) print();
  };

  return {
    show(): void {
      if (isRewritten()) io.stderr(`${clearLine}${text()}`);
      else {
        const ms = shownAt + everyMs - io.clock.monotonic();
        if (ms <= 0) print();
        else void printSoon(ms);
      }
    },
    /** Clears the line before another line is printed. */
    clear(): void {
      if (isRewritten()) io.stderr(clearLine);
    },
    end(): void {
      isEnded = true;
      if (isRewritten()) io.stderr(`${clearLine}${text()}\n`);
      else print();
    },
  };
}
