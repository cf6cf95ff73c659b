import { test } from 'vitest';
import { expectRegistered, expectTakenOut, expectUrlTaken, OTHER_HOSTS } from '../fixture/install-scene.ts';

test.each(OTHER_HOSTS)('registers with %s, once, and what it writes starts the server', expectRegistered);

test.each(OTHER_HOSTS)('takes the registration with %s out again', expectTakenOut);

test.each(OTHER_HOSTS)('%s takes a server by its URL, or says that it does not', expectUrlTaken);
