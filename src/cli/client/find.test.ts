import { expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
import type { Api } from './api.ts';
import { findEndpoint } from './find.ts';

test('an empty name, such as an unset variable, is an error before the server is asked', async () => {
  expect(await thrownBy(findEndpoint({} as Api, ''))).toThrow('the name of the endpoint is empty');
});
