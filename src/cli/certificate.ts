/*
 * The certificate that Hooktape serves https with (HOOKTAPE_TLS_CERT, HOOKTAPE_TLS_KEY), read anew when the files change:
 * certificates are renewed while the server runs. What does not fit together is never used.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cannotBeRead } from '../config/config.ts';
import type { Front } from '../front.ts';

export type CertificateFiles = { certFile: string; keyFile: string };

export type Certificate = Parameters<Front['setCertificate']>[0];

/** The first certificate. @throws when it or one behind it is none: the whole chain is sent */
function readChain(pem: string): X509Certificate {
  const first = new X509Certificate(pem);
  for (const [one] of pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g))
    new X509Certificate(one);
  return first;
}

/** The pair when it can be served, else everything that is wrong, each with its setting. A file that is not set is no problem here. */
export function checkCertificate({ certFile, keyFile }: Partial<CertificateFiles>): {
  certificate?: Certificate;
  problems: string[];
} {
  const problems: string[] = [];
  const look = <T>(setting: string, file: string | undefined, what: string, understand: (pem: string) => T) => {
    if (file === undefined) return undefined;
    let pem: string | undefined;
    try {
      pem = readFileSync(file, 'utf8');
      return { pem, understood: understand(pem) };
    } catch (error) {
      const unusable = `${JSON.stringify(file)} holds no ${what} in PEM that can be used: ${(error as Error).message}`;
      problems.push(`${setting}: ${pem === undefined ? cannotBeRead(file, error) : unusable}`);
      return undefined;
    }
  };
  const cert = look('HOOKTAPE_TLS_CERT', certFile, 'certificate', readChain);
  const key = look('HOOKTAPE_TLS_KEY', keyFile, 'private key', pem => createPrivateKey(pem));
  if (!cert || !key) return { problems };
  if (cert.understood.checkPrivateKey(key.understood))
    return { certificate: { cert: cert.pem, key: key.pem }, problems };
  problems.push(`HOOKTAPE_TLS_KEY: ${keyFile} is not the key of the first certificate in ${certFile}`);
  return { problems };
}

/** @throws an Error that names the settings, when a file cannot be read, is no PEM, or the two do not belong together */
export function readCertificate(files: CertificateFiles): Certificate {
  const { certificate, problems } = checkCertificate(files);
  if (!certificate) throw new Error(problems.join('; '));
  return certificate;
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
