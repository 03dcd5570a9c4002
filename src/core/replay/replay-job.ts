/* The states and outcomes of replay jobs, and their limits. */
export const replayJobStates = ['running', 'paused', 'done', 'cancelled'] as const;
export type ReplayJobState = (typeof replayJobStates)[number];

/** `waiting`: not settled yet. `same`, `different`: the results of a comparison. */
export const jobOutcomes = ['waiting', 'ok', 'failed', 'skipped', 'same', 'different'] as const;
export type JobOutcome = (typeof jobOutcomes)[number];

export const maxUnfinishedJobs = 20;
/** The most finished jobs of a team; older ones are removed early. */
export const maxFinishedJobs = 1000;
