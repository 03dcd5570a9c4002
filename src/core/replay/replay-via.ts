/* Who sent an event again: the field `via` of a replay attempt. */
export const replayVia = ['api', 'dashboard', 'mcp', 'listen', 'forward', 'job'] as const;
export type ReplayVia = (typeof replayVia)[number];
