import { describe, expect, test } from 'bun:test';
import { delivery, formDelivery, jsonDelivery } from '../../testing/deliveries.ts';
import { readDeliveryId } from './delivery-id.ts';
import { createDeliveryReader } from './delivery-reader.ts';
import type { RawDelivery } from './model.ts';
import type { DeliveryIdRule, Platform } from './platform.ts';

const source = 'https://acme.example/docs';
const rules: DeliveryIdRule[] = [
  { header: 'X-Acme-Delivery', source },
  { header: ['ce-source', 'ce-id'], source },
  { body: 'event.id', source },
  { body: ['shop', 'number'], source },
];
const acme: Platform = {
  name: 'acme',
  title: 'ACME',
  docsUrl: source,
  detect: [],
  eventType: [],
  deliveryId: rules,
  signatures: [],
  secretHint: null,
};
const idOf = (what: RawDelivery, row: Platform = acme) => readDeliveryId(row, createDeliveryReader(what));

describe('a delivery id', () => {
  test.each(['X-Acme-Delivery', 'x-acme-delivery', 'X-ACME-DELIVERY'])('is found in the header %s', name => {
    expect(idOf(jsonDelivery({ event: { id: 'b' } }, { [name]: 'a' }))).toEqual({ id: 'a', basis: 'header' });
  });

  test('is found in JSON and in forms, whatever the JSON is sent as', () => {
    expect(idOf(jsonDelivery({ event: { id: 'b' } }))).toEqual({ id: 'b', basis: 'body' });
    expect(idOf(delivery({ body: '{"event":{"id":"b"}}' }))).toEqual({ id: 'b', basis: 'body' });
    expect(idOf(formDelivery({ 'event.id': 'c' }))).toEqual({ id: 'c', basis: 'body' });
  });

  test('of several parts needs all of them', () => {
    expect(idOf(jsonDelivery({}, { 'ce-source': '/a', 'ce-id': '1' }))).toEqual({ id: '/a 1', basis: 'header' });
    expect(idOf(jsonDelivery({}, { 'ce-id': '1' }))).toBeUndefined();
    expect(idOf(jsonDelivery({ shop: 'a', number: 7 }))).toEqual({ id: 'a 7', basis: 'body' });
    expect(idOf(jsonDelivery({ shop: 'a' }))).toBeUndefined();
    expect(idOf(formDelivery({ shop: 'a', number: '7' }))).toEqual({ id: 'a 7', basis: 'body' });
  });

  test('is the next one when the first is blank', () => {
    expect(idOf(jsonDelivery({ event: { id: 'b' } }, { 'X-Acme-Delivery': ' ' }))?.id).toBe('b');
  });

  test.each([
    [12, '12'],
    [0, '0'],
    [-1, '-1'],
    [9007199254740991, '9007199254740991'],
    ['  a b ', '  a b '],
    ['\ud800', '\ufffd'],
  ])('%j is the text %j', (value, id) => {
    expect(idOf(jsonDelivery({ event: { id: value } }))?.id).toBe(id);
  });

  test.each(['9007199254740993', '1.5', '1e400', 'true', 'null', '[]', '["a"]', '{}', '{"id":"a"}', '""', '" \\n"'])(
    '%s is none',
    value => {
      const body = `{"event":{"id":${value}}}`;
      const reader = createDeliveryReader(delivery({ body }));
      expect(readDeliveryId(acme, reader)).toBeUndefined();
      // Once the body is parsed, values come from there.
      reader.json();
      expect(readDeliveryId(acme, reader)).toBeUndefined();
    },
  );

  test.each(['', '{"event":{"id":"a"}', '{"event":{"id":"a"}} trailing', '[{"event":{"id":"a"}}]', 'event.id=a'])(
    'is not read out of %j',
    body => expect(idOf(delivery({ body }))).toBeUndefined(),
  );

  test('may be very long: the caller limits it', () => {
    const long = 'x'.repeat(5000);
    expect(idOf(jsonDelivery({ event: { id: long } }))?.id).toBe(long);
  });

  test('is none for a platform without a rule', () => {
    const { deliveryId: _, ...row } = acme;
    expect(idOf(jsonDelivery({ id: 'a', event: { id: 'a' } }, { 'X-Acme-Delivery': 'a' }), row)).toBeUndefined();
  });
});
