import { expect, test } from 'bun:test';
import { destinationRefusals } from '../shared/problem-codes.ts';
import { alertErrorOf, alertErrors } from './alert.ts';

test.each([
  [null, null, null, false],
  [alertErrors.rejected(404), 'rejected', 404, false],
  [alertErrors.givenUp(alertErrors.rejected(503)), 'rejected', 503, true],
  [alertErrors.channelUnreadable, 'channel_unreadable', null, true],
  [`${alertErrors.channelUnreadable}: set the channel again`, 'channel_unreadable', null, true],
  [alertErrors.emailNotSetUp, 'email_not_set_up', null, false],
  [destinationRefusals.not_public, 'not_public', null, false],
  [alertErrors.givenUp(destinationRefusals.port_not_allowed), 'port_not_allowed', null, true],
  ['connection refused', null, null, false],
  ['the proxy answered 404', null, null, false],
] as const)('the error %p has the code %p and the status %p, and is final: %p', (message, code, status, isFinal) => {
  expect(alertErrorOf(message)).toEqual({ code, status, isFinal });
});
