/*
 * `bun scripts/proofs/mcp-events.ts [EVENTS] [KILLS]`: a stream and two polls of MCP Events, one of them per delivery, while the server
 * is repeatedly killed with -9. With their cursors they must get every event once and in order. Exits with 1 if there is a problem.
 * Uses dist/hooktape.
 */
import { killWhileReadingEvents } from '../../src/testing/events-kills.ts';
import { builtBinary } from '../lib/installation.ts';

const [events = '5000', kills = '30'] = process.argv.slice(2);
const result = await killWhileReadingEvents({
  command: [builtBinary()],
  events: Number(events),
  kills: Number(kills),
  random: Math.random,
});
console.log(JSON.stringify(result, undefined, 2));
process.exit(result.problems.length === 0 ? 0 : 1);
