/* How an event was sent again. */
export const replayWays = ['api', 'dashboard', 'mcp', 'listen', 'forward', 'job'] as const;
export type ReplayWay = (typeof replayWays)[number];
