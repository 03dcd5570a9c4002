/*
 * `bun scripts/proofs/mcp-subscriptions.ts [EVENTS] [KILLS]`: a webhook subscription of MCP Events, while the server and the receiver
 * are each killed KILLS times with -9. Every event must be accepted, and only events in progress at a kill may be accepted twice.
 * Exits with 1 if there is a problem. Uses dist/hooktape.
 */
import { killWhileDelivering } from '../../src/testing/subscription-kills.ts';
import { builtBinary } from '../lib/installation.ts';

const [events = '10000', kills = '50'] = process.argv.slice(2);
const result = await killWhileDelivering({
  command: [builtBinary()],
  events: Number(events),
  kills: Number(kills),
  random: Math.random,
});
console.log(JSON.stringify(result, undefined, 2));
process.exit(result.problems.length === 0 ? 0 : 1);
