/* The TLS certificate, reloaded when its files change. A certificate and key that do not match are never used. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cannotBeRead } from '../config/config.ts';
import type { Front } from '../front.ts';

export type CertificateFiles = { certFile: string; keyFile: string };

export type Certificate = Parameters<Front['setCertificate']>[0];

/** The first certificate of the chain. @throws if any certificate is invalid, because the whole chain is sent */
function readChain(pem: string): X509Certificate {
  const first = new X509Certificate(pem);
  for (const [one] of pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g))
    new X509Certificate(one);
  return first;
}

/** The certificate and key, or all problems with them, each with its setting. A setting without a value is not a problem here. */
export function checkCertificate({ certFile, keyFile }: Partial<CertificateFiles>): {
  certificate?: Certificate;
  problems: string[];
} {
  const problems: string[] = [];
  const readPem = <T>(setting: string, file: string | undefined, what: string, parse: (pem: string) => T) => {
    if (file === undefined) return undefined;
    let pem: string | undefined;
    try {
      pem = readFileSync(file, 'utf8');
      return { pem, parsed: parse(pem) };
    } catch (error) {
      const unusable = `${JSON.stringify(file)} has no usable ${what} in PEM format: ${(error as Error).message}`;
      problems.push(`${setting}: ${pem === undefined ? cannotBeRead(file, error) : unusable}`);
      return undefined;
    }
  };
  const cert = readPem('HOOKTAPE_TLS_CERT', certFile, 'certificate', readChain);
  const key = readPem('HOOKTAPE_TLS_KEY', keyFile, 'private key', pem => createPrivateKey(pem));
  if (!cert || !key) return { problems };
  if (cert.parsed.checkPrivateKey(key.parsed)) return { certificate: { cert: cert.pem, key: key.pem }, problems };
  problems.push(`HOOKTAPE_TLS_KEY: ${keyFile} is not the key of the first certificate in ${certFile}`);
  return { problems };
}

/** @throws an Error with the settings if a file cannot be read or is not PEM, or if certificate and key do not match */
export function readCertificate(files: CertificateFiles): Certificate {
  const { certificate, problems } = checkCertificate(files);
  if (!certificate) throw new Error(problems.join('; '));
  return certificate;
}

/**
 * Polls the files. Compares contents instead of times, so that changed links, mounts and copies are noticed.
 * @param onChanged called with each new matching pair; if it throws, it is called again at the next poll
 * @param onProblem called once for each problem that lasts for two polls, because the two files are written one after the other
 * @returns a function that stops polling
 */
export function watchCertificate(
  files: CertificateFiles,
  first: Certificate,
  options: { everyMs: number; onChanged: (certificate: Certificate) => void; onProblem: (error: Error) => void },
): () => void {
  const { everyMs, onChanged, onProblem } = options;
  let current = first;
  let problem = '';
  let isReported = false;
  const poll = (): void => {
    try {
      const now = readCertificate(files);
      if (now.cert !== current.cert || now.key !== current.key) onChanged(now);
      current = now;
      problem = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== problem) {
        problem = message;
        isReported = false;
      } else if (!isReported) {
        isReported = true;
        onProblem(error as Error);
      }
    }
  };
  const timer = setInterval(poll, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
