/*
 * The certificate that Hooktape serves https with (HOOKTAPE_TLS_CERT, HOOKTAPE_TLS_KEY), read anew when the files change:
 * certificates are renewed while the server runs. What does not fit together is never used.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Front } from '../front.ts';
import { ConfigurationError } from './io.ts';

export type CertificateFiles = { certFile: string; keyFile: string };

export type Certificate = Parameters<Front['renew']>[0];

/** @throws an Error that names the setting, when a file cannot be read, is no PEM, or the two do not belong together */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const cert = of('HOOKTAPE_TLS_CERT', certFile, () => readFileSync(certFile, 'utf8'));
  const key = of('HOOKTAPE_TLS_KEY', keyFile, () => readFileSync(keyFile, 'utf8'));
  const certificate = of('HOOKTAPE_TLS_CERT', certFile, () => new X509Certificate(cert));
  const privateKey = of('HOOKTAPE_TLS_KEY', keyFile, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`HOOKTAPE_TLS_KEY: ${keyFile} is not the key of the first certificate in ${certFile}`);
  return { cert, key };
}

/** The one to start with. @throws ConfigurationError */
export function firstCertificate(files: CertificateFiles): Certificate {
  try {
    return readCertificate(files);
  } catch (error) {
    throw new ConfigurationError([(error as Error).message]);
  }
}

function of<T>(setting: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${setting}: ${file}: ${(error as Error).message}`);
  }
}

/**
 * Looks again and again; contents count, not times, so that links, mounts and copies are all seen.
 * @param onChanged told of each new certificate that fits its key, again and again when it throws
 * @param onProblem told once of each kind of trouble; the two files are written one after the other, so only one that lasts
 * @returns what ends it
 */
export function watchCertificate(
  files: CertificateFiles,
  first: Certificate,
  {
    everyMs,
    onChanged,
    onProblem,
  }: {
    everyMs: number;
    onChanged: (certificate: Certificate) => void;
    onProblem: (error: Error) => void;
  },
): () => void {
  let current = first;
  let trouble = '';
  let hasSaid = false;
  const look = (): void => {
    try {
      const now = readCertificate(files);
      if (now.cert !== current.cert || now.key !== current.key) onChanged(now);
      current = now;
      trouble = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== trouble) {
        trouble = message;
        hasSaid = false;
      } else if (!hasSaid) {
        hasSaid = true;
        onProblem(error as Error);
      }
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
