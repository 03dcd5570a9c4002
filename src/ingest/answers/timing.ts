/* Carries out an answer that a rule chose: its delay and its fault. The same code for the fast path and node:http. */
import type { Socket } from 'node:net';
import { stallMs } from '../../core/answers/limits.ts';
import type { ChosenAnswer, DelayedResponse } from '../../core/delivery-response.ts';

/** The actions of an answer on its connection. Each is called at most once, `end` last. */
export type Steps = {
  /** Sends all of it. */
  answer: () => void;
  /** Sends the head, of a body that does not come. */
  head: () => void;
  /** Closes the connection after the bytes sent so far. */
  close: () => void;
  reset: () => void;
};

/** Runs an answer that takes no time at once. Afterwards the hold is released. */
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

/** Gives the place back when the sender leaves, or has left while its event was stored. @returns a function that ends this */
export function watchSender(socket: Pick<Socket, 'once' | 'off' | 'readableEnded'>, hold: DelayedResponse): () => void {
  if (socket.readableEnded) hold.releaseSlot();
  socket.once('end', hold.releaseSlot).once('close', hold.release);
  return () => socket.off('end', hold.releaseSlot).off('close', hold.release);
}

/** Sends a TCP reset, so that the sender learns of an error and not of an end. */
export function resetConnection(socket: Socket): void {
  socket.resetAndDestroy();
}

/** How many bytes the head of an answer announces. A stalled one promises at least one. */
export const announcedBytes = ({ status, chosen }: { status: number; chosen: ChosenAnswer }): number | undefined => {
  if (status === 204 || status === 304) return undefined;
  return chosen.fault === 'stall' ? Math.max(1, chosen.body.length) : chosen.body.length;
};
