/*
 * `bun scripts/proofs/forwards-outage.ts [EVENTS_PER_SECOND] [MINUTES] [KILLS_WHILE_DRAINING]`: the destinations of two forwards, one
 * ordered in lanes, are down for 2 hours at 50 events a second, on a clock that goes ahead, and the server is killed with -9 in
 * every minute. Then every event must arrive. Prints memory and speed. Exits with 1 if there is a problem.
 */
import { killDuringOutage } from '../../src/testing/forward-outage.ts';

const [perSecond = 50, minutes = 120, drainKills = 60] = process.argv.slice(2).map(Number);
const result = await killDuringOutage({
  perSecond,
  minutes,
  drainKills,
  random: Math.random,
  onProgress: line => console.error(line),
});
console.log(JSON.stringify(result, undefined, 2));
process.exit(result.problems.length === 0 ? 0 : 1);
