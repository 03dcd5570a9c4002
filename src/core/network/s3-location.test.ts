import { expect, test } from 'bun:test';
import { formatS3Location, parseS3Location } from './s3-location.ts';

test.each([
  ['s3://tapes', 'tapes', ''],
  ['s3://tapes/', 'tapes', ''],
  ['s3://my.tapes/a b/ü', 'my.tapes', 'a b/ü'],
  ['s3://tapes/a/b/', 'tapes', 'a/b'],
])('%s', (text, bucket, prefix) => {
  expect(parseS3Location(text)).toEqual({ bucket, prefix });
  expect(formatS3Location({ bucket, prefix })).toBe(text.replace(/\/$/, ''));
});

test.each([
  'tapes',
  's3:/tapes',
  's3://',
  's3://a',
  's3://tapes//a',
  's3://tapes/../b',
  's3://tapes/a?b',
  's3://tapes/a\nb',
  's3://t u',
  's3://tapes/a//',
])('%j is no location', text => {
  expect(parseS3Location(text)).toBeUndefined();
});
