#!/usr/bin/env node
// Stands in for the browser of a person who signs in: opens the address and follows where it leads.
import { browse } from './sign-in-server.mjs';

const { status, text } = await browse(process.argv[2]);
if (status !== 200) process.stderr.write(`${status} ${text}\n`);
