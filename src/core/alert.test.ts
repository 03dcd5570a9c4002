import { expect, test } from 'bun:test';
import { destinationRefusals } from '../shared/problem-codes.ts';
import { alertErrorOf, alertErrors } from './alert.ts';

test.each([
  [null, null, null],
  [alertErrors.rejected(404), 'rejected', 404],
  [alertErrors.givenUp(alertErrors.rejected(503)), 'rejected', 503],
  [alertErrors.channelUnreadable, 'channel_unreadable', null],
  [`${alertErrors.channelUnreadable}: set the channel again`, 'channel_unreadable', null],
  [alertErrors.emailNotSetUp, 'email_not_set_up', null],
  [destinationRefusals.not_public, 'not_public', null],
  [alertErrors.givenUp(destinationRefusals.port_not_allowed), 'port_not_allowed', null],
  ['the connection was refused', null, null],
  ['the proxy answered 404', null, null],
] as const)('the error %p has the code %p and the status %p', (message, code, status) => {
  expect(alertErrorOf(message)).toEqual({ code, status });
});
