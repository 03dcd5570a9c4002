/* The rules for passwords: they must be long and not common. No composition rules (NIST SP 800-63B section 3.1.1.2). */
import { maxPasswordBytes, minPasswordCharacters } from '../../shared/limits.ts';
import { type AppError, invalidAt } from '../errors.ts';

/** The most common leaked passwords of at least 12 characters; shorter ones are refused for their length. */
const common = new Set(
  `123456789012 1234567890123 12345678901234 123456789123 123456789abc 1234567891011 12345678910111 012345678910
  0123456789012 098765432109 0987654321098 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv
  qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiopasdf qwertyuiopasdfgh qwertyuiopasdfghjkl qwerty123456
  qwerty1234567 qwerty12345678 qwerty123456789 qwertyqwerty qazwsxedcrfv qazwsxedc123 asdfghjkl123 asdfghjkl;' zxcvbnm12345
  zaq12wsxcde3 zaq1xsw2cde3 abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefg12345 abcdef123456 abcd12345678 abc123456789
  a1b2c3d4e5f6 a12345678910 passwordpassword password1234 password12345 password123456 password1234567 password12345678
  password123456789 passw0rd1234 p@ssw0rd1234 p@ssword1234 mypassword123 mypassword1234 newpassword1 newpassword123
  changemechangeme changeme1234 changeme12345 changeme123456 administrator administrator1 administrator123 adminadmin12
  admin1234567 admin12345678 admin123456789 adminpassword rootpassword rootroot1234 testtesttest test12345678 testpassword
  letmein12345 letmeinletmein welcome12345 welcome123456 welcomewelcome iloveyou1234 iloveyou12345 iloveyouforever
  iloveyousomuch monkeymonkey dragon123456 football1234 baseball1234 superman1234 princess1234 sunshine1234 liverpool123
  chocolate123 unbelievable thunderbird1 trustno1trustno1 secretsecret supersecret1 supersecret123 defaultpassword
  hooktape1234 hooktape12345 hooktapehooktape`.split(/\s+/),
);

/** One to four characters, repeated. */
const repeated = /^(.{1,4}?)\1+$/su;

const refused = (message: string): AppError => invalidAt(['password'], message, `the password ${message}`);

/** @param email the address of the account, which is refused as its password @throws invalid */
export function checkPassword(password: string, email?: string): string {
  if ([...password].length < minPasswordCharacters)
    throw refused(`must have at least ${minPasswordCharacters} characters`);
  if (Buffer.byteLength(password) > maxPasswordBytes) throw refused('is too long');
  const folded = password.toLowerCase();
  if (common.has(folded) || repeated.test(folded) || folded === email)
    throw refused('is too easy to guess: choose another');
  return password;
}
