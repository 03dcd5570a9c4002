/* `s3://BUCKET[/PREFIX]`: where in an object store something is kept. */

export type S3Location = {
  readonly bucket: string /** Without a slash at its ends; may be empty. */;
  readonly prefix: string;
};

const maxPrefixBytes = 512;

/** @returns undefined if the text is no such location, or if a URL could not carry its prefix unchanged */
export function parseS3Location(text: string): S3Location | undefined {
  const [, bucket, rest = ''] = /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,254})(?:\/(.*))?$/s.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  const prefix = rest.replace(/\/$/, '');
  const isSegment = (segment: string): boolean => !/^\.{0,2}$/.test(segment);
  if (prefix !== '' && !prefix.split('/').every(isSegment)) return undefined;
  if (/[\p{Cc}?#\\]/u.test(prefix) || !prefix.isWellFormed() || Buffer.byteLength(prefix) > maxPrefixBytes)
    return undefined;
  return { bucket, prefix };
}

export const formatS3Location = ({ bucket, prefix }: S3Location): string =>
  prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
