/* Carries out a rule's answer: its delay and its fault. The fast path and node:http share this code. */
import type { Socket } from 'node:net';
import { stallMs } from '../../core/answers/limits.ts';
import type { ChosenAnswer, DelayedResponse } from '../../core/delivery-response.ts';

/** The actions of an answer on its connection. Each is called at most once, `end` last. */
export type Steps = {
  answer: () => void;
  /** Sends the head, whose body never follows. */
  head: () => void;
  /** Closes the connection after the bytes sent so far. */
  close: () => void;
  reset: () => void;
};

/** Runs the answer: without a delay at once. Releases the slot at the end. */
export function runAnswer(
  { delayMs, fault, hold }: Pick<ChosenAnswer, 'delayMs' | 'fault' | 'hold'>,
  steps: Steps,
): void {
  const finish = (step: () => void) => (): void => {
    hold?.release();
    step();
  };
  const begin = (): void => {
    if (fault === 'stall' && hold) {
      steps.head();
      hold.after(stallMs, finish(steps.close));
    } else if (fault === 'close') finish(steps.close)();
    else if (fault === 'reset') finish(steps.reset)();
    else finish(steps.answer)();
  };
  if (delayMs > 0 && hold) hold.after(delayMs, begin);
  else begin();
}

/** Releases the slot when the sender disconnects, or at once if it has. @returns a function that stops watching */
export function watchSender(socket: Pick<Socket, 'once' | 'off' | 'readableEnded'>, hold: DelayedResponse): () => void {
  if (socket.readableEnded) hold.releaseSlot();
  socket.once('end', hold.releaseSlot).once('close', hold.release);
  return () => socket.off('end', hold.releaseSlot).off('close', hold.release);
}

/** Sends a TCP reset, so that the sender sees an error instead of a normal end. */
export function resetConnection(socket: Socket): void {
  socket.resetAndDestroy();
}

/** The Content-Length of a response. A stalled response announces at least one byte. */
export const announcedBytes = ({ status, chosen }: { status: number; chosen: ChosenAnswer }): number | undefined => {
  if (status === 204 || status === 304) return undefined;
  return chosen.fault === 'stall' ? Math.max(1, chosen.body.length) : chosen.body.length;
};
