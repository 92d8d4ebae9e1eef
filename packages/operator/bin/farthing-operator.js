#!/usr/bin/env node
import { launch } from "farthing/launch";

await launch("farthing-operator", import.meta.url, 24);
