/*
 * What a connection is doing, and how long it may take.
 *
 * | phase    | the connection                                                     | next              | limit                 |
 * |----------|--------------------------------------------------------------------|-------------------|-----------------------|
 * | idle     | is between two requests                                            | head              | `idle`                |
 * | head     | is new, or the head of a request is arriving                       | body              | `head`                |
 * | body     | has a request whose body is arriving                               | response          | `body` and `bodyPace` |
 * | response | has sent a complete request and waits for our response             | flush             | none: handlers have their own deadlines |
 * | flush    | has a response that the client has to read                         | idle or closing   | `idle`                |
 * | closing  | has its last response; what still arrives is read and thrown away  | closed            | `closing`, `closingSilence` |
 * | timedOut | was sent `408`                                                     | closed            | the next tick         |
 */
import type { BodyPaceLimits } from './body-pace.ts';

export type Phase = 'idle' | 'head' | 'body' | 'response' | 'flush' | 'closing' | 'timedOut';

/** In milliseconds. */
export type ConnectionLimits = Record<'idle' | 'head' | 'body' | 'closing', number> & {
  /** How long a closing connection may send nothing. */
  closingSilence: number;
  /** How fast a body has to arrive, besides the limit of its phase. */
  bodyPace?: BodyPaceLimits;
};

/** How long a connection may stay in each phase. */
export const phaseLimitsMs = ({ idle, head, body, closing }: ConnectionLimits): Record<Phase, number> => ({
  idle,
  head,
  body,
  response: Number.POSITIVE_INFINITY,
  flush: idle,
  closing,
  timedOut: 0,
});

/** Whether a shutdown waits for it. */
export const isBusyPhase = (phase: Phase): boolean => phase !== 'idle' && phase !== 'head' && phase !== 'timedOut';
