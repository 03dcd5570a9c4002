import { describe, expect, test } from 'bun:test';
import { AppError, forbidden, invalid, notFound, unavailable } from '../errors.ts';
import { dialectOf, EventsError, eventsForbidden, eventsNotFound, toRpcError } from './errors.ts';

const never = (error: unknown): void => {
  throw error;
};

describe('the dialect of a request', () => {
  const cases: [unknown, string][] = [
    [undefined, 'sketch'],
    [null, 'sketch'],
    ['text', 'sketch'],
    [{}, 'sketch'],
    [{ events: {} }, 'sketch'],
    [{ extensions: null }, 'sketch'],
    [{ extensions: { 'io.modelcontextprotocol/events': null } }, 'sketch'],
    [{ extensions: { 'io.modelcontextprotocol/tasks': {} } }, 'sketch'],
    [{ extensions: { 'io.modelcontextprotocol/events': {} } }, 'extension'],
  ];
  test.each(cases)('%j: %s', (capabilities, dialect) => {
    expect(dialectOf(capabilities) as string).toBe(dialect);
  });
});

describe('codes', () => {
  const cases: [error: Error, sketch: number, extension: number, data: Record<string, unknown> | undefined][] = [
    [eventsNotFound('event'), -32011, -32023, { kind: 'event' }],
    [notFound('endpoint'), -32011, -32023, { kind: 'endpoint' }],
    [eventsForbidden('no'), -32012, -32024, { reason: 'no' }],
    [forbidden('no'), -32012, -32024, { reason: 'no' }],
    [new EventsError('resource_exhausted', 'full', { limit: 'streams' }), -32013, -32025, { limit: 'streams' }],
    [
      new AppError('overloaded', 'busy', { retryAfterSeconds: 2 }),
      -32013,
      -32025,
      { limit: 'busy', retryAfterMs: 2000 },
    ],
    [new EventsError('unsupported', 'no'), -32014, -32026, undefined],
    [new EventsError('callback_endpoint', 'no', { reason: 'timeout' }), -32015, -32027, { reason: 'timeout' }],
    [invalid('wrong'), -32602, -32602, undefined],
    [unavailable('later', 5), -32603, -32603, undefined],
  ];
  test.each(cases)('%s', (error, sketch, extension, data) => {
    for (const [dialect, code] of [
      ['sketch', sketch],
      ['extension', extension],
    ] as const)
      expect(toRpcError(error, dialect, never)).toEqual({ code, message: error.message, ...(data && { data }) });
  });

  test('an unexpected error is reported, and clients do not see it', () => {
    const seen: unknown[] = [];
    const error = new Error('SELECT secret');
    expect(toRpcError(error, 'sketch', fault => seen.push(fault))).toEqual({ code: -32603, message: 'internal error' });
    expect(seen).toEqual([error]);
  });
});
