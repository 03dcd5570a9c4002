/* Certificates that openssl creates. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A self-signed one for loopback; PEM texts. */
export function selfSigned(name = 'localhost'): { cert: string; key: string } {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-certificate-'));
  try {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const { exitCode, stderr } = Bun.spawnSync(
      `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name}
       -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout ${key} -out ${cert}`.split(/\s+/),
    );
    if (exitCode !== 0) throw new Error(String(stderr));
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
