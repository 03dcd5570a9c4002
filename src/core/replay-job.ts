/* The words of replay jobs. */
export const replayJobStates = ['running', 'paused', 'done', 'cancelled'] as const;
export type ReplayJobState = (typeof replayJobStates)[number];

/** `waiting`: not settled yet. `same`, `different`: of a comparison. */
export const jobOutcomes = ['waiting', 'ok', 'failed', 'skipped', 'same', 'different'] as const;
export type JobOutcome = (typeof jobOutcomes)[number];
