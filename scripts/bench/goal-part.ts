/* A part of the performance goals. */
import type { Programs } from './peer.ts';
import type { Row } from './report.ts';

export type GoalOptions = {
  /** Duration of one load window. */
  seconds: number;
  rounds: number;
  /** Deliveries in a burst. */
  burst: number;
  /** Duration of the load before the measurements of goals-load.ts. */
  loadSeconds: number;
  /** Events in each history that is read. */
  events: number;
  /** The number of requests of each kind. */
  requests: number;
  baselineBinary: string | undefined;
  /** Paths of the peers' executables; undefined to measure no peers. */
  peerPrograms: Programs | undefined;
};

export type PartResult = {
  rows: Row[];
  details: Record<string, unknown>;
  /** Deliveries per second, for the parts that send at a fraction of this rate. */
  sustainedRate?: number | undefined;
};

/**
 * Measures one part. `Used` names the options that it reads.
 * @param sustainedRate undefined if it has not been measured
 */
export type Part<Used extends keyof GoalOptions> = (
  options: Pick<GoalOptions, Used>,
  sustainedRate?: number,
) => Promise<PartResult>;
