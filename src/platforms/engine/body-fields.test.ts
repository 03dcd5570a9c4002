import { describe, expect, test } from 'bun:test';
import { delivery } from '../../testing/deliveries.ts';
import { replaceFormFields } from './body-fields.ts';
import { createDeliveryReader } from './delivery-reader.ts';

const replaced = (contentType: string, body: string, values: Record<string, string>): string | undefined =>
  replaceFormFields(
    createDeliveryReader(delivery({ headers: { 'Content-Type': contentType }, body })),
    values,
  )?.toString();

describe('a field of a form', () => {
  const multipart = 'multipart/form-data; boundary=a';
  const part = (name: string, value: string) =>
    `--a\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  test('is replaced, and every other byte stays', () => {
    expect(replaced('application/x-www-form-urlencoded', 'a=1&b=%20+&a=2', { a: 'x y' })).toBe('a=x+y&b=%20+&a=2');
    const body = `${part('a', '1')}${part('b', '2')}${part('b', '3')}--a--\r\n`;
    expect(replaced(multipart, body, { b: 'new' })).toBe(
      `${part('a', '1')}${part('b', 'new')}${part('b', '3')}--a--\r\n`,
    );
  });

  test('is looked for in one pass, also in a hostile form', () => {
    // Without a head of its own, each part would be read to the end of the body.
    expect(replaced(multipart, `${'--a'.repeat(250_000)}\r\n\r\n--a--`, { b: 'new' })).toBeUndefined();
    expect(replaced('application/x-www-form-urlencoded', `${'%61=&'.repeat(20_000)}b=1`, { b: 'new' })).toBeUndefined();
  });
});
