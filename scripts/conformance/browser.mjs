#!/usr/bin/env node
// Stands in for the browser of a person who signs in: the test server lets everybody in, and leads back at once.

await fetch(process.argv[2]);
