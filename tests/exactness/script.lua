-- Small work for the exactness test: tables, strings, patterns, closures, sorting, errors.
local function primes(limit)
	local composite, found = {}, {}
	for n = 2, limit do
		if not composite[n] then
			found[#found + 1] = n
			for m = n * n, limit, n do composite[m] = true end
		end
	end
	return found
end

local list = primes(3000)
print(#list, list[#list])

local words = {}
for i = 1, 400 do
	words[i] = string.format("%s-%d", string.rep("ab", i % 5), i * 7919 % 1009)
end
table.sort(words)
print(words[1], words[#words])

local text, vowels = table.concat(words, " "), 0
for part in text:gmatch("a[%w]*%-%d+") do vowels = vowels + #part end
print(vowels, (text:gsub("b", "cc")):len())

local failed = 0
for i = 1, 50 do
	if not pcall(function() if i % 3 == 0 then error("three") end end) then
		failed = failed + 1
	end
end
print(failed)

local co = coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i * i) end end)
local sum = 0
for _ = 1, 100 do sum = sum + co() end
print(sum)
