// build: gcc -O2 -l:libcrypto.so.3
// build(lazy): gcc -O2 -l:libcrypto.so.3 -Wl,-z,lazy
// expect: function=EVP_DigestUpdate calls=400 at-least module=libcrypto
// expect: function=EVP_EncryptUpdate calls=100 at-least module=libcrypto
// expect: function=show calls=23
/* Hand-written assembly of libcrypto: digests, ciphers and big numbers of many sizes. */
#include "lib/test.h"

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <string.h>

enum { SIZE = 20000 };

static unsigned char input[SIZE], output[SIZE + 64];

KEPT static void show(const char *name, const unsigned char *bytes, size_t size)
{
	printf("%s ", name);
	for (size_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void digest(const char *name)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	const EVP_MD *kind = EVP_get_digestbyname(name);
	unsigned char result[EVP_MAX_MD_SIZE];
	unsigned int size;

	CHECK(kind && EVP_DigestInit_ex(context, kind, NULL));
	for (int i = 0; i < 50; i++)
		CHECK(EVP_DigestUpdate(context, input, (size_t)i * 397 + 1));
	CHECK(EVP_DigestFinal_ex(context, result, &size));
	show(name, result, size);
	EVP_MD_CTX_free(context);
}

static void encrypt(const char *name)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	const EVP_CIPHER *kind = EVP_get_cipherbyname(name);
	unsigned char result[EVP_MAX_MD_SIZE];
	unsigned int digest_size;
	int size;

	CHECK(kind && EVP_EncryptInit_ex(context, kind, NULL, input, input + 100));
	for (int i = 0; i < 20; i++)
		CHECK(EVP_EncryptUpdate(context, output, &size, input, i * 997 + 16));
	CHECK(EVP_Digest(output, (size_t)size, result, &digest_size, EVP_sha256(), NULL));
	show(name, result, digest_size);
	EVP_CIPHER_CTX_free(context);
}

static void power(void)
{
	BIGNUM *base = BN_bin2bn(input, 256, NULL),
	       *modulus = BN_bin2bn(input + 300, 256, NULL);
	BIGNUM *exponent = BN_bin2bn(input + 600, 64, NULL), *result = BN_new();
	BN_CTX *context = BN_CTX_new();
	unsigned char bytes[256];

	BN_set_bit(modulus, 0);
	CHECK(BN_mod_exp(result, base, exponent, modulus, context));
	show("power", bytes, (size_t)BN_bn2bin(result, bytes) > 32 ? 32 : 0);
	BN_free(base);
	BN_free(modulus);
	BN_free(exponent);
	BN_free(result);
	BN_CTX_free(context);
}

int main(void)
{
	static const char *const digests[] = {
		"MD5",    "SHA1",     "SHA224",   "SHA256",     "SHA384",
		"SHA512", "SHA3-256", "SHAKE128", "BLAKE2b512", "BLAKE2s256"};
	static const char *const ciphers[] = {
		"AES-128-CBC",      "AES-256-CBC",  "AES-128-CTR",  "AES-256-CTR",
		"AES-256-GCM",      "AES-128-ECB",  "ChaCha20",     "ChaCha20-Poly1305",
		"CAMELLIA-128-CBC", "ARIA-128-CTR", "DES-EDE3-CBC", "AES-128-OFB"};

	for (int i = 0; i < SIZE; i++)
		input[i] = (unsigned char)(i * 31 + i / 251);
	for (size_t i = 0; i < sizeof(digests) / sizeof(digests[0]); i++)
		digest(digests[i]);
	for (size_t i = 0; i < sizeof(ciphers) / sizeof(ciphers[0]); i++)
		encrypt(ciphers[i]);
	power();
	return 0;
}
