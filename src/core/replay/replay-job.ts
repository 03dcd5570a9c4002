/* The words of replay jobs. */
export const replayJobStates = ['running', 'paused', 'done', 'cancelled'] as const;
export type ReplayJobState = (typeof replayJobStates)[number];

/** `waiting`: not settled yet. `same`, `different`: of a comparison. */
export const jobOutcomes = ['waiting', 'ok', 'failed', 'skipped', 'same', 'different'] as const;
export type JobOutcome = (typeof jobOutcomes)[number];

/** Jobs of a team that are not over, paused ones included. */
export const maxUnfinishedJobs = 20;
/** Jobs of a team that are over; older ones go before their time. */
export const maxFinishedJobs = 1000;
