import { expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import type { Api } from './api.ts';
import { findEndpoint } from './find.ts';

test('an empty name, as of a variable that is not set, is told without asking the server', async () => {
  expect(await thrownBy(findEndpoint({} as Api, ''))).toThrow('the name of the endpoint is empty');
});
