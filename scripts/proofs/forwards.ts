/*
 * `bun scripts/proofs/forwards.ts [EVENTS] [KILLS]`: two forwards, one ordered in lanes, to a destination that is down half of the time,
 * while the server is repeatedly killed with -9. Every event must arrive at both, in order at the ordered one, and only events
 * in progress at a kill may be duplicated. Exits with 1 if there is a problem. Uses dist/hooktape.
 */
import { killWhileForwarding } from '../../src/testing/forward-kills.ts';
import { builtBinary } from '../lib/installation.ts';

const [events = '10000', kills = '50'] = process.argv.slice(2);
const result = await killWhileForwarding({
  command: [builtBinary()],
  events: Number(events),
  kills: Number(kills),
  random: Math.random,
});
console.log(JSON.stringify(result, undefined, 2));
process.exit(result.problems.length === 0 ? 0 : 1);
